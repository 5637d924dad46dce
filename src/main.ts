import { enableCompileCache } from 'node:module'

// Caches compiled modules for later starts. Modules that are imported before this line are not cached.
enableCompileCache()

const { runCommandLine } = await import('./cli/run.ts')
await runCommandLine(process.argv)
