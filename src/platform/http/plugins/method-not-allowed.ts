import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'

/** All methods that at least one path supports. The error for any other method lists them. */
export const supportedMethods = 'DELETE, GET, HEAD, PATCH, POST'

/** Every method the framework knows. Others, such as those of WebDAV, match no path: see `isUnsupportedMethod`. */
const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** True if no path supports the method. Routing can then be skipped. */
export function isUnsupportedMethod(method: string): boolean {
  return !methods.some((known) => known === method)
}

/** What a browser asks before a page of another origin may call the API (CORS, Fetch standard §3.2.2). */
const notForBrowsers =
  ' Pages of other origins cannot call the API, because a browser cannot keep a token secret. Call it from your server.'

interface Path {
  methods: Set<string>
  errorHandler: RouteOptions['errorHandler']
}

/**
 * Starts recording the methods of each registered path. Call the returned function once all routes are registered: it
 * makes every other method on those paths return a 405 with `Allow`, in the path's own error format if it has one.
 */
export function trackRouteMethods(app: FastifyInstance): () => void {
  // Otherwise, the framework rejects QUERY requests without a content type before routing.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  const taken = new Map<string, Path>()
  app.addHook('onRoute', ({ url, method, errorHandler }) => {
    const path = taken.get(url) ?? { methods: new Set(), errorHandler }
    taken.set(url, path)
    for (const each of [method].flat()) path.methods.add(each)
  })
  return () => {
    for (const [url, { methods: known, errorHandler }] of [...taken]) {
      const allow = [...known].sort().join(', ')
      app.route({
        method: methods.filter((method) => !known.has(method)),
        url,
        ...(errorHandler === undefined ? {} : { errorHandler }),
        handler: ({ method, headers }, reply) => {
          reply.header('Allow', allow)
          const isPreflight = method === 'OPTIONS' && headers.origin !== undefined
          throw new DomainError(
            'method_not_allowed',
            `This path supports: ${allow}.${isPreflight ? notForBrowsers : ''}`,
          )
        },
      })
    }
  }
}
