import type { OpenApiDocument } from './document.ts'
import { readRecorded } from './examples.ts'

/** A program that calls an operation with one of our clients. */
interface CodeSample {
  lang: string
  label: string
  source: string
}

/** What the renderer of the reference shows in place of its own list of libraries. */
const clients = [
  {
    lang: 'TypeScript',
    description: 'The package `housebill-client`: [how to install and use it](/docs/guides/clients).',
  },
  { lang: 'Python', description: 'The package `housebill-client`: [how to install and use it](/docs/guides/clients).' },
]

/**
 * The document with `x-codeSamples`, an extension that renderers of references know. Only the reference gets it: the samples say what the clients'
 * own documentation says, and would make the document larger for every other tool.
 */
export function withCodeSamples(document: OpenApiDocument, publicUrl: string): OpenApiDocument {
  // Safe: `npm run generate` writes the file, and we build the document.
  const samples = readRecorded('samples.json', publicUrl) as Record<string, readonly CodeSample[]>
  const paths = document.paths as Record<string, Record<string, { operationId: string }>>
  const withSamples = Object.entries(paths).map(([path, byMethod]) => [
    path,
    Object.fromEntries(
      Object.entries(byMethod).map(([method, operation]) => [
        method,
        { ...operation, 'x-codeSamples': samples[operation.operationId] },
      ]),
    ),
  ])
  return {
    ...document,
    info: { ...(document.info as object), 'x-scalar-sdk-installation': clients },
    paths: Object.fromEntries(withSamples),
  }
}
