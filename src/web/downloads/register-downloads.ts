import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

/** Where the npm package of Housebill has the client's, which was made when it was packed. */
const packed = new URL('../../../downloads/housebill-client.tgz', import.meta.url)

/** Serves the client as an npm package that `npm install` takes by its address. Makes it at its first request. */
export function registerDownloads(app: FastifyInstance): void {
  let archive: Promise<Buffer> | undefined
  app.get('/downloads/housebill-client.tgz', async (_request, reply) => {
    archive ??= readFile(packed).catch(async () => (await import('./client-archive.ts')).packClient())
    return reply.header('Content-Type', 'application/gzip').send(await archive)
  })
}
