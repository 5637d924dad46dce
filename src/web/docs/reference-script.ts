import { parentPort } from 'node:worker_threads'
import fastify from 'fastify'

/*
 * A thread that returns the script of the reference's renderer and ends. The renderer's package contains its script
 * only inside a plugin, as a text of four megabytes, which would stay in the memory of whoever loads it.
 */
const { default: plugin } = await import('@scalar/fastify-api-reference')
const app = fastify()
await app.register(plugin, { routePrefix: '/renderer', configuration: { url: '/openapi.json' } })
const { body } = await app.inject('/renderer/js/scalar.js')
parentPort?.postMessage(body)
