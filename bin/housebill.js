#!/usr/bin/env node
// Plain JavaScript for Node 16 and later. Finds a Node that can run Housebill, or says what is missing.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** The first major version of Node that has Temporal. (Running TypeScript already works in older versions.) */
const oldestMajor = 26

const folder = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const bundled = `${folder}/node_modules/.bin/node`
const { node: version } = process.versions
/** Whether this is the npm package, which npm installs together with what it needs, and not a clone. */
const isPackage = folder.includes('/node_modules/')
const again = isPackage ? 'install Housebill again' : 'run "npm ci" again'

// npm writes this file when an installation in a clone is complete.
if (!isPackage && !existsSync(`${folder}/node_modules/.package-lock.json`)) {
  fail(`Housebill's packages are not installed. Run "npm ci" in ${folder} first.`)
}
const machines = machinesNode()
if (machines !== undefined) {
  // Replaces this process, so signals and output need no forwarding.
  process.execve(
    machines,
    [machines, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    process.env,
  )
} else if (Number(version.split('.')[0]) >= oldestMajor) {
  // Otherwise the next file would have its types stripped anew at every start, which alone loads the program that strips them.
  module.enableCompileCache()
  await import('../src/main.ts')
} else {
  runWithBundledNode()
}

/**
 * The machine's own Node, if this is the bundled one and the machine's is new enough: whoever maintains the machine updates it. npm puts the
 * bundled Node first on the PATH of everything it runs, and says which Node it runs on itself.
 */
function machinesNode() {
  const { npm_node_execpath: path, npm_config_user_agent: agent = '' } = process.env
  if (path === undefined || !existsSync(path) || !existsSync(bundled)) return undefined
  const [running, packaged, npms] = [process.execPath, bundled, path].map((each) => realpathSync(each))
  if (running !== packaged || npms === packaged) return undefined
  const [, major = '0'] = / node\/v(\d+)\./.exec(agent) ?? []
  return Number(major) >= oldestMajor ? path : undefined
}

/**
 * Runs Housebill in a child process with the bundled Node. Waits for it and forwards signals, so that a server that is stopped through this
 * process still finishes its requests and closes its database.
 */
function runWithBundledNode() {
  if (!existsSync(bundled)) {
    fail(`Housebill needs Node ${oldestMajor} or newer; this is ${version}. Install a newer one, then ${again}.`)
  }
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${bundled} cannot be run (${error.code ?? error.message}): ${again}.`))
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
