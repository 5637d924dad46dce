import { parentPort, workerData } from 'node:worker_threads'
import type { OpenApiDocument } from '../../platform/openapi/document.ts'
import { toOpenApi30 } from '../../platform/openapi/to-openapi-3-0.ts'

/*
 * A thread that writes the API document in one of its forms and ends. Writing YAML takes most of a second.
 */
const { form, text }: { form: 'yaml' | 'openapi-3.0'; text: string } = workerData
const document: OpenApiDocument = JSON.parse(text)
if (form === 'yaml') {
  const { stringify } = await import('yaml')
  // Without aliases: many tools do not follow them.
  parentPort?.postMessage(stringify(document, { aliasDuplicateObjects: false }))
} else parentPort?.postMessage(JSON.stringify(toOpenApi30(document)))
