import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'

/** What the paths here take, taken together: all that can be said where a method is unknown to every path. */
export const methodsTaken = 'DELETE, GET, HEAD, PATCH, POST'

/** Every method the framework knows. Those of WebDAV and its like find no path here at all: see `isForeignMethod`. */
const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** Whether no path could take it, so that the path need not be looked at. */
export function isForeignMethod(method: string): boolean {
  return !methods.some((known) => known === method)
}

interface Path {
  methods: Set<string>
  errorHandler: RouteOptions['errorHandler']
}

/**
 * Watches which methods each path takes, from now on. The function it returns, called once all routes are there, makes every
 * other method of those paths a 405 with `Allow`, in the path's own error shape where it has one.
 */
export function watchMethods(app: FastifyInstance): () => void {
  // Otherwise the framework refuses it for want of a content type before any path is looked at.
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
        handler: (_request, reply) => {
          reply.header('Allow', allow)
          throw new DomainError('method_not_allowed', `This path supports: ${allow}.`)
        },
      })
    }
  }
}
