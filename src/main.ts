import { enableCompileCache } from 'node:module'

// Caches compiled modules for later starts. Modules that are imported before this line are not cached.
enableCompileCache()

/** How long a command that failed may take to end by itself. */
const endsWithinMs = 2_000

// The program that reads our output may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const { runCommandLine } = await import('./cli/run.ts')
const exitCode = await runCommandLine(process.argv.slice(2))
process.exitCode = exitCode
// Something may stay open, such as a connection that the other side does not close: only a process that ends is started
// again.
if (exitCode !== 0) setTimeout(() => process.exit(), endsWithinMs).unref()
