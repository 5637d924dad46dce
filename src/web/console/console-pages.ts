import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html, raw } from '../../pages/html.ts'
import { type ConsoleFile, libraryPath, loadConsoleFiles } from './console-files.ts'

/**
 * Serves the web console: one page at `/console` and every path below it, and the files the page loads. The console is
 * an API client, so nothing here acts for a partner; `partners/console/console-sessions.route.ts` begins and ends its
 * sessions. The first request loads the files.
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

/** What the console needs to know about the deployment. All of it is public. */
interface ConsoleDeployment {
  realm: 'sandbox' | 'live'
  /** Who issues access tokens: this server, or an external provider, whose secrets are not entered here. */
  tokensFrom: 'here' | 'outside'
}

const importMap = JSON.stringify({ imports: { 'lit-html': `/console/assets/${libraryPath}` } })
const importMapHash = createHash('sha256').update(importMap).digest('base64')

/**
 * The content security policy of the console. The page loads only this server's modules and styles and the import map
 * above, connects only to this server, and lets only the template library create markup.
 */
const consolePolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${importMapHash}'`,
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ')

/** The order matters: later styles build on earlier ones. */
const styles = ['console.css', 'content.css', 'controls.css']

/**
 * The page, the same for every console URL: the browser decides what to show.
 * @internal A test renders the page of a live deployment.
 */
export function consolePage({ realm, tokensFrom }: ConsoleDeployment, modules: readonly string[]): Html {
  return html`<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Console · Housebill</title>
<meta name="robots" content="noindex"><link rel="icon" href="/console/assets/icon.svg">${styles.map((path) => html`<link rel="stylesheet" href="/console/assets/${path}">`)}
<script type="importmap">${raw(importMap)}</script>
${modules.map((path) => html`<link rel="modulepreload" href="/console/assets/${path}">`)}
<script type="module" src="/console/assets/start.js"></script></head>
<body><div id="console" data-realm="${realm}" data-tokens="${tokensFrom}"></div>
<noscript><p>The console needs JavaScript. Everything it shows is also available from the <a href="/docs">API</a>.</p></noscript></body></html>`
}
