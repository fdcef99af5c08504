/**
 * Style sheets. The viewer imports them for their effect on the page; in the element for other
 * pages they are texts (`app/embed/style.ts`).
 */
declare module "*.css" {
  const text: string;
  export default text;
}
