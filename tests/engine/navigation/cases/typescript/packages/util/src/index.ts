export * from './strings';
export { default as Logger } from './logger';
