import { describeResult, describeStep, journeyError } from '../sandbox/journey/describe-journey.ts'
import { type JourneyOptions, runJourney } from '../sandbox/journey/run-journey.ts'
import { type Step, StepFailed } from '../sandbox/journey/step-runner.ts'
import { type JsonOption, print, printJson } from './print.ts'

export interface JourneyActionOptions extends JourneyOptions, JsonOption {}

/** `housebill journey`: prints each step as it happens or, with `json`, one object with all steps at the end. */
export async function runJourneyCommand({ json, ...options }: JourneyActionOptions): Promise<void> {
  const { baseUrl, tenants } = options
  const steps: Step[] = []
  const say = (text: string) => {
    if (!json) print(text)
  }
  const listener = {
    onStep(step: Step) {
      steps.push(step)
      say(describeStep(step))
    },
    onTenant: (heading: string | null) => say(heading === null ? '' : `\n${heading}`),
  }
  say(`The journey of ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'} at ${baseUrl}\n`)
  try {
    const result = await runJourney(options, listener)
    if (json) printJson({ baseUrl, ...result, steps })
    else say(describeResult(result))
  } catch (error) {
    if (error instanceof StepFailed) throw journeyError(error, { baseUrl, outcome: 'failed', steps })
    throw error
  }
}
