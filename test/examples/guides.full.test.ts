import { test } from 'node:test'
import { shareTestService } from '../support/shared-service.ts'
import { guides, runExamples } from './guide-programs.ts'

const service = await shareTestService()

for (const guide of guides)
  test(`the examples of docs/${guide}.md in Python, with its standard library only, print what it says`, (t) =>
    runExamples(t, service, guide, { language: 'python', program: 'python3', file: 'example.py' }))
