// biome-ignore lint/style/noDefaultExport: the generator reads it.
export default {
  partner: {
    input: { target: './generated/openapi.json' },
    output: {
      target: './generated/orval/partner-api.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
}
