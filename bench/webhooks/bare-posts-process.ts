import { Agent } from 'undici'

/*
 * The ceiling: undici alone, POSTing the same bodies to the same receivers as fast as they answer, without database,
 * signature or address check. In a process of its own, as the service is, which takes one order after another over the same
 * connections and says when each is done.
 */

export interface BareOrder {
  urls: readonly string[]
  body: string
  headers: Readonly<Record<string, string>>
  /** Over all receivers. */
  posts: number
}

const [connectionsEach] = process.argv.slice(2).map(Number)
const agent = new Agent({ connections: connectionsEach ?? 1, allowH2: false, connect: { rejectUnauthorized: false } })
let sentBefore = 0

async function post(order: BareOrder): Promise<void> {
  const { urls, body, posts } = order
  let sent = 0
  const one = async (url: URL): Promise<void> => {
    while (sent < posts) {
      sent += 1
      const headers = { ...order.headers, 'webhook-id': `bare_${process.pid}_${sentBefore + sent}` }
      const { origin, pathname: path } = url
      const answer = await agent.request({ origin, path, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 204) throw new Error(`a receiver answered ${answer.statusCode}`)
    }
  }
  const lanes = urls.flatMap((url) => Array.from({ length: connectionsEach ?? 1 }, () => one(new URL(url))))
  await Promise.all(lanes)
  sentBefore += posts
}

process.on('message', (order: BareOrder) => {
  post(order).then(
    () => process.send?.('done'),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
