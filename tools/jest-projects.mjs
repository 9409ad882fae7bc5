import config from '../jest.config.mjs';
import { Tool } from './run-command.ts';

await new Tool('jest-projects')
  .description('Prints the names of the projects of jest.config.mjs as JSON. CI has one job for each.')
  .option('--except <name...>', 'projects to leave out', [])
  .action(({ except }) => {
    const names = config.projects.map(({ displayName }) => displayName);
    console.log(JSON.stringify(names.filter((name) => !except.includes(name))));
  })
  .run();
