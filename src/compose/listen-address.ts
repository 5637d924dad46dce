import { once } from 'node:events'
import { createServer } from 'node:net'
import { Refused } from '../kernel/refused.ts'

interface ListenAddress {
  host: string
  port: number
}

/** Listens for a moment, before anything is created. Throws `Refused` with the remedy where that is not possible. */
export async function checkListenAddress(address: ListenAddress): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: address.host, port: address.port })
    await once(probe, 'listening')
  } catch (error) {
    throw listenFailure(error, address)
  }
  probe.close()
  await once(probe, 'close')
}

/** Turns the system's refusal to listen into words for the operator; returns any other error unchanged. */
export function listenFailure(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new Refused(
        'port_in_use',
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or set PORT to another port.`,
      )
    case 'EACCES':
      return new Refused('port_not_allowed', `This user may not listen on port ${port}. Set PORT to 1024 or higher.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Refused(
        'host_not_available',
        `HOST=${host} is not an address of this machine. Set HOST to one that is.`,
      )
    default:
      return error
  }
}
