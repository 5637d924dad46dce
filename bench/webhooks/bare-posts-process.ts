import { Agent } from 'undici'

/*
 * The ceiling: undici alone, POSTing the same bodies to the same receivers as fast as they answer, without database,
 * signature or address check. In a process of its own, as the service is.
 */

export interface BareOrder {
  urls: readonly string[]
  body: string
  headers: Readonly<Record<string, string>>
  /** Over all receivers. */
  posts: number
  /** Open at the same time, for each receiver. */
  connections: number
}

async function post(order: BareOrder): Promise<void> {
  const { urls, body, posts, connections } = order
  const agent = new Agent({ connections, allowH2: false, connect: { rejectUnauthorized: false } })
  let sent = 0
  const one = async (url: URL): Promise<void> => {
    while (sent < posts) {
      sent += 1
      const headers = { ...order.headers, 'webhook-id': `bare_${process.pid}_${sent}` }
      const { origin, pathname: path } = url
      const answer = await agent.request({ origin, path, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 204) throw new Error(`a receiver answered ${answer.statusCode}`)
    }
  }
  const lanes = urls.flatMap((url) => Array.from({ length: connections }, () => one(new URL(url))))
  await Promise.all(lanes)
  await agent.close()
}

process.on('message', (order: BareOrder) => {
  post(order).then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
