import { readFileSync } from 'node:fs'

/** The recorded examples of the API document (`npm run generate` records them against a running sandbox). */
export interface Examples {
  /** By operationId. A body that was not sent, or has no example, is absent. */
  operations: Readonly<Record<string, RecordedOperation>>
  /** A problem document for each error code. */
  errors: Readonly<Record<string, unknown>>
  /** A message for each type that is delivered to webhooks. */
  messages: Readonly<Record<string, unknown>>
  /** The errors of a token request, by code. */
  tokenErrors: Readonly<Record<string, unknown>>
}

/** What was sent to and received from one operation. */
interface RecordedOperation {
  request?: unknown
  response: unknown
  /** The ids in the path, in their order. Absent if there is none. */
  ids?: readonly string[]
  query?: Readonly<Record<string, string>>
}

/** The address of the sandbox in the recording. */
const recordedUrl = 'http://localhost:8080'

/** Reads the examples, as a server at this URL would have sent them. */
export function loadExamples(publicUrl: string): Examples {
  // Safe: `npm run generate` writes the file, and the tests compare it.
  const recorded = readFileSync(new URL('./examples.json', import.meta.url), 'utf8')
  return JSON.parse(recorded.replaceAll(recordedUrl, publicUrl)) as Examples
}

/** The `example` member of a media type; nothing if there is none. */
export function shown(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example }
}
