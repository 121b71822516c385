#!/usr/bin/env node
// Starts the program of this platform, which is in an optional package beside this one.
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const name = `@skillful-rs/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/skillful`);
} catch {
  console.error(`error: skillful has no program for ${process.platform} on ${process.arch}`);
  console.error(`  cause: the package ${name} is not installed`);
  console.error("  fix:   install without --no-optional or --omit=optional; if the platform is not supported: cargo install skillful-cli");
  process.exit(1);
}
// The program handles these itself; this process waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const done = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`error: ${program} cannot be started: ${done.error.message}`);
  process.exit(1);
}
process.exit(done.signal ? 128 + constants.signals[done.signal] : done.status);
