export * from './group.ts';
export { process as handleOnce } from './process.ts';
