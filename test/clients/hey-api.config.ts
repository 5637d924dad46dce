import { defineConfig } from '@hey-api/openapi-ts'

// biome-ignore lint/style/noDefaultExport: the generator reads it.
export default defineConfig({
  input: './generated/openapi.json',
  output: { path: './generated/hey-api', module: { extension: '.ts' } },
})
