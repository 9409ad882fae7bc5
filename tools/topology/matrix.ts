import { join } from 'node:path';
import { root } from '../paths.ts';

// For $GITHUB_OUTPUT: the matrix of CI, as JSON. The chart's tests are a job of their own.

const { default: jest } = await import(join(root, 'jest.config.mjs'));
const projects = jest.projects.map(({ displayName }: { displayName: string }) => displayName);
console.log(`projects=${JSON.stringify(projects.filter((name: string) => name !== 'chart'))}`);
