import type { FastifyRequest } from 'fastify'

/** The path of the request as it was sent, without the query. */
export function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const [path = ''] = url.split('?', 1)
  return path
}
