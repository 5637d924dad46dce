import { parentPort } from 'node:worker_threads'
import { createContractRenderer } from '../contract-renderer.ts'
import type { RenderingJob, RenderingResult } from './rendering-job.ts'

/*
 * The program of a rendering thread: renders one document after another. It keeps the fonts and the measured words of the terms, but
 * nothing of a document's data: the renderer forgets the tenant's words, and the files move to the thread that requested them.
 */

const renderer = createContractRenderer()

parentPort?.on('message', async ({ document, identity }: RenderingJob) => {
  try {
    const { html, pdf } = await renderer.render(document, identity)
    // A small buffer can share its memory with others. These copies have their own, so that it can be moved instead of copied again.
    const result: RenderingResult = { html: new Uint8Array(html), pdf: new Uint8Array(pdf) }
    parentPort?.postMessage(result, [result.html.buffer, result.pdf.buffer])
  } catch (error) {
    const result: RenderingResult = { error }
    parentPort?.postMessage(result)
  }
})
