import { parentPort, workerData } from 'node:worker_threads'
import { createPageFinder, type DocumentedOperation } from '../operation-links.ts'
import { type Guide, guideBody } from './guides.ts'

/*
 * A thread that renders all guides and ends. It posts their HTML, by name, as JSON. Rendering one takes up to a quarter
 * of a second.
 */
const { guides, operations }: { guides: Guide[]; operations: DocumentedOperation[] } = workerData
const findPage = createPageFinder(operations)
parentPort?.postMessage(
  JSON.stringify(Object.fromEntries(guides.map((guide) => [guide.name, guideBody(guide, guides, findPage).markup]))),
)
