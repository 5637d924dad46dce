import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/** The modules `console-files.ts` sends to this thread, which returns them as JavaScript in the same order. */
export type Sources = readonly string[]

parentPort?.postMessage((workerData as Sources).map((text) => stripTypeScriptTypes(text)))
