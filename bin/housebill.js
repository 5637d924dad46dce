#!/usr/bin/env node
// Plain JavaScript for Node 16 and later. Finds a Node that can run Housebill, or says what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The first major version of Node that has Temporal. (Running TypeScript already works in older versions.) */
const oldestMajor = 26

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const folder = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const { node: version } = process.versions

// npm writes this file when an installation is complete.
if (!existsSync(`${folder}/node_modules/.package-lock.json`)) {
  fail(`Housebill's packages are not installed. Run "npm ci" in ${folder} first.`)
}
if (Number(version.split('.')[0]) >= oldestMajor) {
  await import('../src/main.ts')
} else {
  runWithBundledNode()
}

/**
 * Runs Housebill in a child process with the bundled Node. Waits for it and forwards signals, so that a server that is stopped through this
 * process still finishes its requests and closes its database.
 */
function runWithBundledNode() {
  const bundled = `${folder}/node_modules/.bin/node`
  if (!existsSync(bundled)) {
    fail(
      `Housebill needs Node ${oldestMajor} or newer; this is ${version}. Install a newer one, then run "npm ci" again.`,
    )
  }
  const child = spawn(bundled, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${bundled} cannot be run (${error.code ?? error.message}). Run "npm ci" again.`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
