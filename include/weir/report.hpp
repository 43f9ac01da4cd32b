#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `report`: results for people and for other tools. Temperature: cold.

// IWYU pragma: begin_exports
#include <weir/report/atomic_file.hpp>
#include <weir/report/capacity.hpp>
#include <weir/report/command.hpp>
#include <weir/report/console.hpp>
#include <weir/report/exports.hpp>
#include <weir/report/folder.hpp>
#include <weir/report/labels.hpp>
#include <weir/report/markdown.hpp>
#include <weir/report/page.hpp>
#include <weir/report/pipeline_result.hpp>
#include <weir/report/raw_csv.hpp>
#include <weir/report/result.hpp>
#include <weir/report/tables.hpp>
// IWYU pragma: end_exports
