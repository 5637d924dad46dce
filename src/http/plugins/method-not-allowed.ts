import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'

/** The methods supported by any path, for the error when no path supports a method. */
export const supportedMethods = 'DELETE, GET, HEAD, PATCH, POST'

/** Every method the framework knows. WebDAV's and others match no path: see `isForeignMethod`. */
const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** Whether no path supports the method, so routing can be skipped. */
export function isForeignMethod(method: string): boolean {
  return !methods.some((known) => known === method)
}

interface Path {
  methods: Set<string>
  errorHandler: RouteOptions['errorHandler']
}

/**
 * Records the methods of each path from now on. Call the returned function once all routes are registered: it makes every other
 * method of those paths a 405 with `Allow`, in the path's own error format if it has one.
 */
export function watchMethods(app: FastifyInstance): () => void {
  // Otherwise the framework rejects it for a missing content type before routing.
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
