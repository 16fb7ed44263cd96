#!/usr/bin/env node
// Starts the program of this platform. It is in a package of its own, which npm
// installs as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const name = `@mcptea/${platform}`;
const file = process.platform === "win32" ? "mcptea.exe" : "mcptea";

function locate() {
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies);
    if (known.includes(name)) {
      console.error(`mcptea: the package ${name} is missing. npm installs it as an optional dependency: install again without --omit=optional and --no-optional.`);
    } else {
      console.error(`mcptea: there is no build for ${platform}. The builds are ${known.map((n) => n.slice("@mcptea/".length)).join(", ")}; others can be made with Go.`);
    }
    process.exit(1);
  }
}

const child = spawn(locate(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });

// The terminal sends these to the child, too: it decides what to do.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {});
}
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (err) => {
  console.error(`mcptea: cannot start ${err.path || name}: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + (constants.signals[signal] || 0) : code);
});
