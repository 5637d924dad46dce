import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * The modules that `console-files.ts` sends to this thread. The thread returns them as JavaScript in the same order.
 */
export type ModuleSources = readonly string[]

parentPort?.postMessage((workerData as ModuleSources).map((text) => stripTypeScriptTypes(text)))
