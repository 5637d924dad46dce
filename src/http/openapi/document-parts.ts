import type { Examples } from './examples.ts'
import type { ProblemResponses } from './problem-responses.ts'
import type { SchemaWriter } from './schema-writer.ts'

/** What the parts of one document share: its named schemas, its common responses and its examples. */
export interface DocumentParts {
  writer: SchemaWriter
  problems: ProblemResponses
  examples: Examples
}
