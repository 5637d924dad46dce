import type { Examples } from '../../platform/openapi/examples.ts'
import type { ProblemResponses } from '../../platform/openapi/problem-responses.ts'
import type { SchemaWriter } from '../../platform/openapi/schema-writer.ts'

/** What the parts of one document share: its named schemas, its common responses and its examples. */
export interface DocumentParts {
  writer: SchemaWriter
  problems: ProblemResponses
  examples: Examples
}
