import { writeFile } from 'node:fs/promises'
import { CommandError } from '../platform/kernel/command-error.ts'
import { describeResult, describeStep, journeyError } from '../sandbox/journey/describe-journey.ts'
import { type JourneyOptions, runJourney } from '../sandbox/journey/run-journey.ts'
import { type Step, StepFailed } from '../sandbox/journey/steps.ts'
import { Transcript } from '../sandbox/journey/transcript.ts'
import { type JsonOption, print, printJson } from './print.ts'

export interface JourneyActionOptions extends JourneyOptions, JsonOption {
  /** The Markdown file to which the calls are written. */
  record?: string
}

/** `housebill journey`: prints each step as it happens or, with `json`, one object with all steps at the end. */
export async function runJourneyCommand({ json, record, ...options }: JourneyActionOptions): Promise<void> {
  const { baseUrl, tenants } = options
  const steps: Step[] = []
  const transcript = new Transcript(options)
  const say = (text: string) => {
    if (!json) print(text)
  }
  const listener = {
    onStep(step: Step) {
      steps.push(step)
      say(describeStep(step))
    },
    onTenant(heading: string | null) {
      say(heading === null ? '' : `\n${heading}`)
      transcript.addHeading(heading ?? 'The whole household')
    },
    onCall: transcript.addCall.bind(transcript),
  }
  // Finds out before the first call that the file cannot be written.
  if (record !== undefined) await write(record, '')
  say(`The journey of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'} at ${baseUrl}\n`)
  try {
    const result = await runJourney(options, listener)
    if (json) printJson({ baseUrl, ...result, steps })
    else say(describeResult(result))
  } catch (error) {
    if (error instanceof StepFailed) throw journeyError(error, { baseUrl, outcome: 'failed', steps })
    throw error
  } finally {
    if (record !== undefined) await write(record, transcript.text())
  }
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'unusable_file',
      `${file} cannot be written (${error.code}). Choose another file with --record.`,
    )
  })
}
