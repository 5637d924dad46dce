/** The questions that one process answers for another: for each name, what is sent and what comes back. Both must survive JSON. */
export type Questions = Record<string, { argument: unknown; reply: unknown }>

/** How a process answers. What an answer throws is thrown by the other process's `ask`, with only its message. */
export type Answers<Asked extends Questions> = {
  [Name in keyof Asked]: (argument: Asked[Name]['argument']) => Asked[Name]['reply'] | Promise<Asked[Name]['reply']>
}

/** The other process. */
export interface Peer<Asked extends Questions> {
  /** Throws if the other process has ended, or does not answer within five seconds. */
  ask<Name extends keyof Asked & string>(name: Name, argument: Asked[Name]['argument']): Promise<Asked[Name]['reply']>
}

/** One end of the channel between a process and its parent: Node's `process` or a worker of `node:cluster`. */
interface Channel {
  send(message: object, onSent: (error: Error | null) => void): unknown
  onMessage(listener: (message: unknown) => void): void
}

interface Envelope {
  id: number
  question?: string
  argument?: unknown
  reply?: unknown
  failure?: string
}

const answerWithinMs = 5_000

/** Asks and answers questions over a channel. Messages arrive in the order in which they were sent. */
export function connectPeer<Asked extends Questions, Answered extends Questions>(
  channel: Channel,
  answers: Answers<Answered>,
): Peer<Asked> {
  const pending = new Map<number, { resolve(reply: unknown): void; reject(error: Error): void }>()
  let lastId = 0

  async function answer({ id, question = '', argument }: Envelope): Promise<void> {
    // The other process may have ended in the meantime; then nobody waits for the reply.
    const send = (envelope: Envelope) => channel.send(envelope, () => undefined)
    try {
      send({ id, reply: await answers[question]?.(argument) })
    } catch (error) {
      send({ id, failure: error instanceof Error ? error.message : String(error) })
    }
  }

  channel.onMessage((message) => {
    const envelope = message as Envelope
    if (envelope.question !== undefined) return void answer(envelope)
    const asked = pending.get(envelope.id)
    if (envelope.failure === undefined) asked?.resolve(envelope.reply)
    else asked?.reject(new Error(envelope.failure))
  })

  return {
    async ask(question, argument) {
      lastId += 1
      const id = lastId
      let timer: NodeJS.Timeout | undefined
      try {
        return await new Promise<never>((resolve, reject) => {
          pending.set(id, { resolve: (reply) => resolve(reply as never), reject })
          timer = setTimeout(
            () => reject(new Error(`no answer to "${question}" from the other process`)),
            answerWithinMs,
          )
          channel.send({ id, question, argument }, (error) => error !== null && reject(error))
        })
      } finally {
        clearTimeout(timer)
        pending.delete(id)
      }
    },
  }
}
