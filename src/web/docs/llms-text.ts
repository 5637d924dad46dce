import type { Guide } from './guides/guides.ts'
import type { DocumentedOperation } from './operation-links.ts'

/** The documentation as one file for language models (https://llmstxt.org): what there is, and every guide in full. */
export function llmsText(
  publicUrl: string,
  guides: readonly Guide[],
  operations: readonly DocumentedOperation[],
): string {
  const guideList = guides.map(({ href, title, summary }) => `- [${title}](${publicUrl}${href}): ${summary}`)
  const list = operations.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`)
  return `# Housebill

> Sell household bills through an API: look up a UK address, create a quote for electricity, gas and broadband, add the tenants who share the house, and take each
> through to a contract.

- [The API document](${publicUrl}/openapi.json): OpenAPI 3.1, with examples of every request and response
- [Errors](${publicUrl}/docs/errors): every code, what it means and what to do

## Guides, in the order in which a newcomer reads them

${guideList.join('\n')}

## Operations

${list.join('\n')}

${guides.map(({ markdown }) => markdown.trim()).join('\n\n')}
`
}
