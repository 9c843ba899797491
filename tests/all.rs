//! The command from outside, and documents against the source.

mod architecture;
mod bad_scenes;
mod command;
mod completion;
mod convert;
mod demos;
mod documents;
mod enrich;
mod examples;
mod face;
mod firm_contact;
mod inspect;
mod lips;
mod manners;
mod mesh;
mod pliant;
mod plot;
mod products;
mod recipes;
mod render;
mod resume;
mod simulate;
mod skin;
mod studio;
