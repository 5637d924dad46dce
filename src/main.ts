import { run } from './cli/run.ts'

await run(process.argv)
