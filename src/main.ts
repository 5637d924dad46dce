import { enableCompileCache } from 'node:module'

// Modules are compiled once for all starts; whatever is imported before this line would not be.
enableCompileCache()

const { run } = await import('./cli/run.ts')
await run(process.argv)
