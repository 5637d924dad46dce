import { createServer, type Server, type Socket } from 'node:net'
import { type RedisReply, runRedisScript } from './redis-script.ts'

/**
 * A minimal Redis with the commands that rate limits use: SET with EX and NX, GET, INCRBY, PTTL, EXPIRE, PING, EVAL.
 */
export interface TestRedis {
  url: string
  /** Names of the commands received from clients, in order. */
  commands: string[]
  keys(): string[]
  /** Closes every connection and rejects new ones. All data is lost, as in a Redis without persistence. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  /** With `true`, commands are received but get no reply; with `false`, they get replies again. */
  hang(isHanging: boolean): void
  /** From now on every command returns this error; undefined restores normal replies. */
  failWith(error: string | undefined): void
  stop(): Promise<void>
}

export async function startTestRedis(): Promise<TestRedis> {
  const data = new Map<string, { value: string; expiresAt: number }>()
  const sockets = new Set<Socket>()
  const commands: string[] = []
  let isHanging = false
  let failure: string | undefined
  let server: Server | undefined
  let port = 0

  function live(key: string) {
    const entry = data.get(key)
    if (entry !== undefined && entry.expiresAt <= Date.now()) data.delete(key)
    return data.get(key)
  }

  function run([name = '', ...args]: readonly string[]): RedisReply {
    const [key = '', value = ''] = args
    const entry = live(key)
    switch (name.toUpperCase()) {
      case 'PING':
        return { status: 'PONG' }
      case 'SET': {
        const options = args.slice(2).map((each) => each.toUpperCase())
        if (options.includes('NX') && entry !== undefined) return null
        const seconds = options.includes('EX') ? Number(options[options.indexOf('EX') + 1]) : Number.POSITIVE_INFINITY
        data.set(key, { value, expiresAt: Date.now() + seconds * 1000 })
        return { status: 'OK' }
      }
      case 'GET':
        return entry?.value ?? null
      case 'INCRBY': {
        const total = Number(entry?.value ?? 0) + Number(value)
        data.set(key, { value: String(total), expiresAt: entry?.expiresAt ?? Number.POSITIVE_INFINITY })
        return total
      }
      case 'PTTL':
        if (entry === undefined) return -2
        return Number.isFinite(entry.expiresAt) ? entry.expiresAt - Date.now() : -1
      case 'EXPIRE':
        if (entry !== undefined) entry.expiresAt = Date.now() + Number(value) * 1000
        return entry === undefined ? 0 : 1
      case 'EVAL': {
        const [script = '', count = '0', ...rest] = args
        const keys = rest.slice(0, Number(count))
        return runRedisScript(script, { keys, args: rest.slice(Number(count)), call: run })
      }
      default:
        throw new Error(`ERR unknown command '${name}'`)
    }
  }

  function response(socket: Socket, command: readonly string[]): void {
    commands.push((command[0] ?? '').toUpperCase())
    if (isHanging) return
    try {
      if (failure !== undefined) throw new Error(failure)
      socket.write(encode(run(command)))
    } catch (error) {
      socket.write(`-${(error as Error).message.replaceAll(/[\r\n]/g, ' ')}\r\n`)
    }
  }

  function serve(socket: Socket): void {
    sockets.add(socket)
    let waiting = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      for (let next = takeCommand(waiting); next !== undefined; next = takeCommand(waiting)) {
        waiting = waiting.subarray(next.end)
        response(socket, next.command)
      }
    })
  }

  async function comeBack(): Promise<void> {
    const opened = createServer(serve)
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject)
      opened.listen(port, '127.0.0.1', resolve)
    })
    const address = opened.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    port = address.port
    server = opened
  }

  async function goDown(): Promise<void> {
    const closing = server
    server = undefined
    data.clear()
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => (closing === undefined ? resolve() : closing.close(() => resolve())))
  }

  await comeBack()
  return {
    url: `redis://127.0.0.1:${port}`,
    commands,
    keys: () => [...data.keys()].filter((key) => live(key) !== undefined),
    goDown,
    comeBack,
    hang(value) {
      isHanging = value
    },
    failWith(error) {
      failure = error
    },
    stop: goDown,
  }
}

/** RESP2, the protocol version of the service's client. */
function encode(reply: RedisReply): string {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`
  if ('status' in reply) return `+${reply.status}\r\n`
  return `*${reply.length}\r\n${reply.map(encode).join('')}`
}

/** The first complete command in the received bytes, and where it ends. */
function takeCommand(bytes: Buffer): { command: string[]; end: number } | undefined {
  let at = 0
  const line = (mark: string): number | undefined => {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) return undefined
    const text = bytes.toString('utf8', at, end)
    if (!text.startsWith(mark)) throw new Error(`expected ${mark}, not ${text}`)
    at = end + 2
    return Number(text.slice(1))
  }
  const count = line('*')
  if (count === undefined) return undefined
  const command: string[] = []
  for (let index = 0; index < count; index += 1) {
    const length = line('$')
    if (length === undefined || bytes.length < at + length + 2) return undefined
    command.push(bytes.toString('utf8', at, at + length))
    at += length + 2
  }
  return { command, end: at }
}
