import { writePage } from './page/write-page.ts'

// `node bench/write-page.ts`: writes docs/benchmarks/README.md and its charts from docs/benchmarks/results.json. `npm run generate` does too.
await writePage()
