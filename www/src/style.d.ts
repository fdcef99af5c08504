/** Style sheets are imported for their effect on the page; they have nothing to export. */
declare module "*.css";
