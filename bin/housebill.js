#!/usr/bin/env node
// Runs under whatever Node is first on the PATH; where that one is too old to run TypeScript, with the Node this package brings.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 18)) {
  await import('../src/main.ts')
} else {
  const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(bundled)) {
    console.error(
      `Housebill needs Node 22.18 or newer; this is ${process.versions.node}. Install a newer one, or run "npm ci" in its folder.`,
    )
    process.exit(1)
  }
  const child = spawn(bundled, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // Passed on and waited for, so that a server stopped through this process still ends its requests and closes its database.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(
      `${bundled} cannot be run (${error.code ?? error.message}). Run "npm ci" in Housebill's folder again.`,
    )
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
