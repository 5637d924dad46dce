// Generates a client from `generated/openapi.json` with hey-api, which has no option for this on the command line.
import { createClient } from '@hey-api/openapi-ts'

await createClient({
  input: './generated/openapi.json',
  output: { path: './generated/hey-api', module: { extension: '.ts' } },
  logs: { level: 'silent' },
})
