import type { FastifyInstance, FastifyReply } from 'fastify'
import { type ConsoleFile, loadConsoleFiles } from './console-files.ts'
import { type ConsoleDeployment, consolePage, consolePolicy } from './console-page.ts'

/**
 * Serves the web console: one page at `/console` and every path below it, and the files the page loads. The console is
 * an API client, so nothing here acts for a partner; `partners/console/console-session.route.ts` begins and ends its sessions. The
 * first request loads the files.
 */
export function registerConsole(app: FastifyInstance, deployment: ConsoleDeployment): void {
  const sendPage = async (_request: unknown, reply: FastifyReply) => {
    const { markup } = consolePage(deployment, modulesOf(await loadConsoleFiles()))
    return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', consolePolicy).send(markup)
  }

  app.get('/console', sendPage)
  app.get('/console/*', sendPage)
  app.get<{ Params: { '*': string } }>('/console/assets/*', async (request, reply) => {
    const file = (await loadConsoleFiles()).get(request.params['*'])
    if (file === undefined) return reply.callNotFound()
    // The browser revalidates its copy on every load, so an upgrade never mixes old and new files.
    reply.header('Cache-Control', 'no-cache').header('ETag', file.etag)
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
    return reply.type(file.type).send(file.body)
  })
}

function modulesOf(files: ReadonlyMap<string, ConsoleFile>): string[] {
  return [...files].filter(([, { type }]) => type.startsWith('text/javascript')).map(([path]) => path)
}
