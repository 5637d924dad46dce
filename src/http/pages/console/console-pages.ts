import type { FastifyInstance, FastifyReply } from 'fastify'
import { loadConsoleFiles } from './console-files.ts'
import { type ConsoleDeployment, consolePage, consolePolicy } from './console-page.ts'

/**
 * Serves the web console: one page at `/console` and every path below it, and the files the page loads. The console is an API client, so
 * nothing here acts for a partner; `routes/auth/console-session.ts` begins and ends its sessions.
 */
export async function registerConsole(app: FastifyInstance, deployment: ConsoleDeployment): Promise<void> {
  const files = await loadConsoleFiles()
  const modules = [...files].filter(([, { type }]) => type.startsWith('text/javascript')).map(([path]) => path)
  const page = consolePage(deployment, modules).markup
  const sendPage = (_request: unknown, reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', consolePolicy).send(page)

  app.get('/console', sendPage)
  app.get('/console/*', sendPage)
  app.get<{ Params: { '*': string } }>('/console/assets/*', (request, reply) => {
    const file = files.get(request.params['*'])
    if (file === undefined) return reply.callNotFound()
    // The browser revalidates its copy on every load, so an upgrade never mixes old and new files.
    reply.header('Cache-Control', 'no-cache').header('ETag', file.etag)
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
    return reply.type(file.type).send(file.body)
  })
}
