// Generates a client from `generated/openapi.json` with hey-api and with orval, which have no option for this on the command line.
import { createClient } from '@hey-api/openapi-ts'
import { generate } from 'orval'

await createClient({
  input: './generated/openapi.json',
  output: { path: './generated/hey-api', module: { extension: '.ts' } },
  logs: { level: 'silent' },
})
await generate({
  input: { target: './generated/openapi.json' },
  output: {
    target: './generated/orval/partner-api.ts',
    client: 'fetch',
    baseUrl: { getBaseUrlFromSpecification: true },
  },
})
