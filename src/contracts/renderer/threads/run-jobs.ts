import { parentPort } from 'node:worker_threads'
import { createContractRenderer } from '../contract-renderer.ts'
import type { RenderingJob, RenderingResult } from './rendering-thread.ts'

/*
 * The program of a rendering thread: renders one document after another. It keeps the fonts and the measured words of
 * the terms, but nothing of a document's data: the renderer forgets the tenant's words, and the files move to the
 * thread that requested them.
 */

const renderer = createContractRenderer()

parentPort?.on('message', async ({ document, identity, formats }: RenderingJob) => {
  try {
    const rendered = await renderer.render(document, identity, formats)
    // A small buffer can share its memory with others. These copies have their own, so that it can be moved instead of
    // copied again.
    const files = formats.map((format) => new Uint8Array(rendered[format]))
    const result: RenderingResult = { files }
    parentPort?.postMessage(
      result,
      files.map(({ buffer }) => buffer),
    )
  } catch (error) {
    const result: RenderingResult = { error }
    parentPort?.postMessage(result)
  }
})
