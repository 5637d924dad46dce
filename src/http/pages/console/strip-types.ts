import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/** What `console-files.ts` hands this thread, and gets back in the same order as JavaScript. */
export type Sources = readonly string[]

parentPort?.postMessage((workerData as Sources).map((text) => stripTypeScriptTypes(text)))
