//! Energies and their derivatives.

mod activation;
mod contact;
mod densities;
mod own_energy;
mod potentials;
