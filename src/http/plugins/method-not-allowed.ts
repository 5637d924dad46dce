import type { FastifyInstance, HTTPMethods } from 'fastify'
import { DomainError } from '../../domain/kernel/errors.ts'

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Watches which methods each path takes, from now on. The function it returns, called once all routes are there, makes every
 * other method of those paths a 405 with `Allow`.
 */
export function watchMethods(app: FastifyInstance): () => void {
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = taken.get(url) ?? new Set()
    taken.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })
  return () => {
    for (const [url, known] of [...taken]) {
      const allow = [...known].sort().join(', ')
      app.route({
        method: methods.filter((method) => !known.has(method)),
        url,
        handler: (_request, reply) => {
          reply.header('Allow', allow)
          throw new DomainError('method_not_allowed', `This path takes: ${allow}.`)
        },
      })
    }
  }
}
