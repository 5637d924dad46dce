import { Worker } from 'node:worker_threads'

/**
 * Runs a script of this folder in a thread of its own, and returns the text that it posts: making it would hold up
 * every other request.
 */
export function renderInThread(script: `./${string}.ts`, workerData?: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(script, import.meta.url), { workerData })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}
