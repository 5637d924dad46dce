import { once } from 'node:events'
import { createServer } from 'node:net'
import { CommandError } from '../platform/kernel/command-error.ts'

interface ListenAddress {
  host: string
  port: number
}

/**
 * Checks that this process can listen on the address, before anything is created. If it cannot, throws a `CommandError`
 * that says how to fix it.
 */
export async function checkListenAddress(address: ListenAddress): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: address.host, port: address.port })
    await once(probe, 'listening')
  } catch (error) {
    throw explainListenError(error, address)
  }
  probe.close()
  await once(probe, 'close')
}

/** Turns a listen error into a message for the operator; returns other errors unchanged. */
export function explainListenError(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new CommandError(
        'port_in_use',
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or set PORT to another port.`,
      )
    case 'EACCES':
      return new CommandError(
        'port_not_allowed',
        `This user may not listen on port ${port}. Set PORT to 1024 or higher.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CommandError(
        'host_not_available',
        `HOST=${host} is not an address of this machine. Set HOST to one that is.`,
      )
    default:
      return error
  }
}
